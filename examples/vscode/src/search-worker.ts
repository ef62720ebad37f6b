import { answerSearches } from 'stepwise/tools/browser';

answerSearches(self);
