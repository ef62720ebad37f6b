import { listenForSignals } from './signals.js';

// Listens for signals before the slow imports, because the first process of a container loses signals without a
// listener.
const signals = listenForSignals();
const { run } = await import('./run.js');
await run(signals);
