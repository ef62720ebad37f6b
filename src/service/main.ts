import { listenForSignals } from './signals.js';

// Signals are handled before slow imports, because the first process of a container loses signals without a
// listener.
const signals = listenForSignals();
const { run } = await import('./run.js');
await run(signals);
