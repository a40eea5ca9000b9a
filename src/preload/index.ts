/** Hands the page one MessagePort; knows no endpoint. */
export {}
