import { itPaysFifty } from '../support/fifty-withdrawals.js';
import { SolanaPayoutScene } from '../support/solana-payout-scene.js';
import { TronPayoutScene } from '../support/tron-payout-scene.js';

describe('50 equal withdrawals of different merchants at once, on Solana,', () => {
  let scene: SolanaPayoutScene;
  beforeAll(async () => {
    scene = await SolanaPayoutScene.funded();
  });
  afterAll(() => scene.close());

  itPaysFifty(() => scene, 'USDC', 1_000_000n);
  itPaysFifty(() => scene, 'SOL', 10_000_000n);
});

describe('50 equal withdrawals of different merchants at once, on Tron,', () => {
  let scene: TronPayoutScene;
  beforeAll(async () => {
    scene = await TronPayoutScene.funded();
  });
  afterAll(() => scene.close());

  itPaysFifty(() => scene, 'USDT', 1_000_000n);
  itPaysFifty(() => scene, 'TRX', 2_000_000n);
});
