import { itPaysFifty } from '../support/fifty-withdrawals.js';
import { SolanaPayoutScene } from '../support/solana-payout-scene.js';
import { TronPayoutScene } from '../support/tron-payout-scene.js';

// In tokens: `src/treasury/expiring/`.
describe('50 equal withdrawals of different merchants at once, in the coin of Solana,', () => {
  let scene: SolanaPayoutScene;
  beforeAll(async () => {
    scene = await SolanaPayoutScene.funded();
  });
  afterAll(() => scene.close());

  itPaysFifty(() => scene, 'SOL', 10_000_000n);
});

describe('50 equal withdrawals of different merchants at once, in the coin of Tron,', () => {
  let scene: TronPayoutScene;
  beforeAll(async () => {
    scene = await TronPayoutScene.funded();
  });
  afterAll(() => scene.close());

  itPaysFifty(() => scene, 'TRX', 2_000_000n);
});
