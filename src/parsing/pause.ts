/** Yields to other work of the process, if any is waiting; otherwise returns undefined. */
export type Pause = () => Promise<void> | undefined;
