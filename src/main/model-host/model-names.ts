/** The names that a server without weights answers to: a list, or on the command line a text with commas. */
import { z } from 'zod'

const namesSchema = z.array(z.string().min(1)).min(1)

export const modelNamesSchema = z.union([
  namesSchema,
  z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(namesSchema),
])
