import { DevChainDirectory } from '../../../test/support/dev-chain-directory.js';
import type { EvmDevChain } from '../../devtools/devnet/evm-dev-chain.js';
import { testCoinBalance } from '../../devtools/devnet/test-coin.js';
import { testTokenBalance } from '../../devtools/devnet/test-token.js';
import type { DemoChain, DemoOrder } from './demo-wallet.js';
import { EvmDemoWallet } from './evm-demo-wallet.js';

const CUSTOMER_PAYS = { to: '0x00000000000000000000000000000000000000c1', amount: 25_000_000n };

const payOnChain = (on: DemoChain, order: DemoOrder) => new EvmDemoWallet(on).pay(order);

describe("the demo's wallet on EVM chains", () => {
  let dir: DevChainDirectory;
  let dev: EvmDevChain;
  let chain: DemoChain;
  let token: string;

  beforeAll(async () => {
    dir = await DevChainDirectory.create();
    dev = await dir.start();
    const { address, privateKey } = dev.faucet;
    chain = {
      rpc_url: dev.rpcUrl,
      chain_id: dev.chainId,
      tokens: {},
      pockets: {},
      faucet: { address, private_key: privateKey },
    };
    token = dev.tokens['USDC']?.address ?? '';
  });

  afterAll(() => dir.remove());

  it.each(['USDC', 'USDT', 'POL'])('moves %s on the chain and returns the block', async (symbol) => {
    const contract = dev.tokens[symbol]?.address ?? null;
    const balance = (): Promise<bigint> =>
      contract === null
        ? testCoinBalance(dev.rpcUrl, CUSTOMER_PAYS.to)
        : testTokenBalance(dev.rpcUrl, contract, CUSTOMER_PAYS.to);
    const before = await balance();
    const paid = await payOnChain(chain, { ...CUSTOMER_PAYS, token: contract });
    expect(paid.txHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(paid.blockNumber).toBeGreaterThan(0);
    expect((await balance()) - before).toBe(CUSTOMER_PAYS.amount);
  });

  it('pays each of two payments that are made at the same moment', async () => {
    const to = '0x00000000000000000000000000000000000000c2';
    const paid = await Promise.all([1n, 2n].map((amount) => payOnChain(chain, { token, to, amount })));
    expect(new Set(paid.map(({ txHash }) => txHash)).size).toBe(2);
    expect(await testTokenBalance(dev.rpcUrl, token, to)).toBe(3n);
  });

  it('pays nothing on another chain than the expected one', async () => {
    await expect(payOnChain({ ...chain, chain_id: 1 }, { token, ...CUSTOMER_PAYS })).rejects.toThrow(
      `${dev.rpcUrl} is chain 31338 instead of 1.`,
    );
  });

  it('says which chain does not answer', async () => {
    const gone = { ...chain, rpc_url: 'http://127.0.0.1:1' };
    await expect(payOnChain(gone, { token, ...CUSTOMER_PAYS })).rejects.toThrow(
      'The chain at http://127.0.0.1:1 does not answer.',
    );
  });
});
