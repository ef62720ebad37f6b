/** `stepwise/testing`: the loopback provider that is this project's own test double, in both vendors' shapes. */
export { type FakeProvider, type Script, startFakeProvider } from './fake-provider.js';
export { type FaultName, faultNames } from './faults/faults.js';
export { type OfflineModel, startOfflineModel } from './offline-model.js';
export type { Completion, Fault, RecordedRequest, Reply } from './wire/reply.js';
