import { answerSearches } from '../tools/portable/index.js';

/**
 * Runs the regular expressions of searches in a worker. If an expression backtracks forever, the page ends the
 * worker.
 */
answerSearches(self);
