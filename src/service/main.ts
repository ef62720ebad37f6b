import { heedSignals } from './process/signals.js';
import { tuneV8 } from './process/tune-v8.js';

// Before all that takes long to load: the first process of a container loses the signals that it does not listen for.
const signals = heedSignals();
tuneV8();
const { run } = await import('./process/run.js');
await run(signals);
