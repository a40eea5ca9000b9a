/** Entry of the model-host process. */
export {}
