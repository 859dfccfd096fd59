import { describeCollecting } from './collecting.js';

// One network of each family. The others of its kind: `npm run soak`.
describeCollecting(['polygon', 'solana', 'tron']);
