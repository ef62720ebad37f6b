import { heedSignals } from './signals.js';

// Before all that takes long to load: the first process of a container loses the signals that it does not listen for.
const signals = heedSignals();
// Before anything makes garbage, too.
const { tuneV8 } = await import('./tune-v8.js');
tuneV8();
const { run } = await import('./run.js');
await run(signals);
