/** The size of an element as it changes; before it is known, a size that a first drawing can use. */
import { type RefObject, useLayoutEffect, useState } from 'react'

export type Size = { readonly width: number; readonly height: number }

export function useSize(ref: RefObject<HTMLElement | null>, first: Size): Size {
  const [size, setSize] = useState(first)
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element
      if (width > 0 && height > 0) setSize((now) => (now.width === width && now.height === height ? now : { width, height }))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return size
}
