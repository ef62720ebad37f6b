/** Lets other work of the process go on; returns undefined if none needs to. */
export type Pause = () => Promise<void> | undefined;
