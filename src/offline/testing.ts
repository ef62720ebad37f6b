/**
 * Package entry `stepwise/testing`: a scripted provider on loopback in both vendors' protocols, which this
 * project's own tests use.
 */
export type { Respond } from './answer-request.js';
export { type FakeProvider, type Script, startFakeProvider } from './fake-provider.js';
export { faultNames } from './faults/faults.js';
export type { VendorErrorName } from './faults/vendor-errors.js';
export { type OfflineModel, startOfflineModel } from './offline-model.js';
export type {
  Ending,
  Fault,
  FaultName,
  RecordedRequest,
  ScriptedCompletion,
  ScriptedReply,
  ScriptedToolCall,
  ScriptedUsage,
} from './wire/reply.js';
