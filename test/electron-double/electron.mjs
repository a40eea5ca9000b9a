/**
 * A double of the electron module with what our host uses of it: events, ports, protocol, windows, utility processes as Node forks.
 * It records what it was told in `seen`, so that a test can look at it. Behaviour follows Electron's documentation; it is no proof of Electron itself.
 */
import { fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'

export const seen = {
  windows: [],
  schemes: [],
  handlers: new Map(),
  paths: {},
  opened: [],
  errors: [],
  children: [],
  exitCode: null,
  permissions: {},
}

/** Main's end of a channel: Node's event names, silent until started. */
export class MessagePortMain extends EventEmitter {
  #port
  constructor(port) {
    super()
    this.#port = port
    port.on('close', () => this.emit('close'))
  }
  postMessage(message) {
    this.#port.postMessage(message)
  }
  start() {
    this.#port.on('message', (data) => this.emit('message', { data, ports: [] }))
  }
  close() {
    this.#port.close()
  }
}

class App extends EventEmitter {
  isPackaged = false
  ready = false
  setPath(name, path) {
    seen.paths[name] = path
  }
  requestSingleInstanceLock() {
    return process.env.DOUBLE_SECOND_INSTANCE === undefined
  }
  async whenReady() {
    await new Promise((resolve) => setImmediate(resolve))
    this.ready = true
  }
  quit() {
    let prevented = false
    this.emit('before-quit', {
      preventDefault: () => {
        prevented = true
      },
    })
    if (!prevented) this.exit(0)
  }
  exit(code) {
    seen.exitCode = code
    this.emit('double-exit', code)
  }
}
export const app = new App()

class WebContents extends EventEmitter {
  setWindowOpenHandler(handler) {
    this.windowOpenHandler = handler
  }
}

export class BrowserWindow extends EventEmitter {
  webContents = new WebContents()
  constructor(options) {
    super()
    this.options = options
    seen.windows.push(this)
    app.emit('web-contents-created', {}, this.webContents)
  }
  async loadURL(url) {
    this.url = url
    this.emit('ready-to-show')
  }
  show() {
    this.shown = true
  }
  focus() {
    this.focused = true
  }
  isMinimized() {
    return false
  }
}

export const protocol = {
  registerSchemesAsPrivileged(schemes) {
    if (app.ready) throw new Error('registerSchemesAsPrivileged after ready')
    seen.schemes.push(...schemes)
  },
  handle(scheme, handler) {
    if (!app.ready) throw new Error('protocol.handle before ready')
    seen.handlers.set(scheme, handler)
  },
}

export const session = {
  defaultSession: {
    setPermissionRequestHandler(handler) {
      seen.permissions.request = handler
    },
    setPermissionCheckHandler(handler) {
      seen.permissions.check = handler
    },
  },
}

export const shell = {
  async openExternal(url) {
    seen.opened.push(url)
  },
}

export const dialog = {
  showErrorBox(title, content) {
    seen.errors.push({ title, content })
  },
}

export const ipcMain = new EventEmitter()

/** What the preload has: ports sent through it arrive in main as MessagePortMain. `frame` is who sends. */
export const ipcRendererOf = (frame) => ({
  postMessage(channel, message, ports = []) {
    ipcMain.emit(channel, { senderFrame: frame, ports: ports.map((port) => new MessagePortMain(port)) }, message)
  },
})

const shim = fileURLToPath(new URL('utility-process.mjs', import.meta.url))

export const utilityProcess = {
  fork(path, args, options) {
    const child = fork(path, args, {
      env: options.env,
      execArgv: [...(options.execArgv ?? []), '--import', shim],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    })
    const utility = new EventEmitter()
    child.on('message', (data) => utility.emit('message', data))
    child.on('exit', (code) => utility.emit('exit', code ?? 0))
    utility.postMessage = (message) => child.connected && child.send(message)
    utility.kill = () => child.kill()
    Object.defineProperty(utility, 'pid', { get: () => (child.exitCode === null && child.signalCode === null ? child.pid : undefined) })
    seen.children.push({ path, pid: child.pid, serviceName: options.serviceName })
    return utility
  },
}

/** No keychain: keys come from the environment alone. */
export const safeStorage = {
  isEncryptionAvailable: () => false,
  encryptString() {
    throw new Error('Encryption is not available.')
  },
  decryptString() {
    throw new Error('Decryption is not available.')
  },
}
