/** Loaded first in a forked child: gives it the `process.parentPort` that it would have in an Electron utility process. */
process.parentPort = {
  postMessage: (message) => process.connected && process.send(message),
  on(event, listener) {
    if (event === 'message') process.on('message', (data) => listener({ data, ports: [] }))
  },
}
process.on('disconnect', () => process.exit(0))
