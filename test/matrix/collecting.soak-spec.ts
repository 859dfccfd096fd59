import { describeCollecting } from './collecting.js';

// The networks beside those of `collecting.e2e-spec.ts`.
describeCollecting(['ethereum', 'bnb']);
