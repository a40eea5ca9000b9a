/** The content policy forbids making code from text; zod is told so before any schema is built, else it would try once and the browser report it. */
import { config } from 'zod'

config({ jitless: true })
