import { heedSignals } from './signals.js';

// Before anything that takes long to load: the first process of a container loses signals that it does not listen for.
const signals = heedSignals();
const { run } = await import('./run.js');
await run(signals);
