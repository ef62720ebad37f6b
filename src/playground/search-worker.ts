import { answerSearches } from '../tools/portable/index.js';

/** Where the expressions of searches are run: one that backtracks for ever is ended with its worker. */
answerSearches(self);
