import { answerSearches } from '../tools/portable/index.js';

/** Runs the regular expressions of searches, so that one that backtracks forever can be ended with its worker. */
answerSearches(self);
