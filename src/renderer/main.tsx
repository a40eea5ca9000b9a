/** The page's entry. */
export {}
