import { parentPort } from 'node:worker_threads';
import { startLoopbackServer } from './loopback-server.js';
import { answerOffline } from './offline-model.js';

/** Entry point of the offline model's thread: starts the server and reports its URL. */
const { url } = await startLoopbackServer(answerOffline);
parentPort?.postMessage(url);
