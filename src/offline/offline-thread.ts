import { parentPort } from 'node:worker_threads';
import { startLoopbackServer } from './loopback-server.js';
import { answerOffline } from './offline-model.js';

/** What runs in the thread of the model `offline`: it listens, and tells where. */
const { url } = await startLoopbackServer(answerOffline);
parentPort?.postMessage(url);
