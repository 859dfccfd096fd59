import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TronDevChain, startTronDevChain } from '../../devtools/devnet/tron/tron-dev-chain.js';
import type { DemoChain } from './demo-wallet.js';
import { TronDemoWallet } from './tron-demo-wallet.js';

let dataDir: string;
let dev: TronDevChain;
let chain: DemoChain;
let wallet: TronDemoWallet;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-tron-'));
  dev = await startTronDevChain({ dataDir, preferredPort: 0, blockIntervalMs: 50, log: () => undefined });
  const { rpcUrl, chainId, tokens, faucet } = dev;
  chain = {
    rpc_url: rpcUrl,
    chain_id: chainId,
    tokens: { ...tokens, TRX: { address: 'native', decimals: 6 } },
    pockets: {},
    faucet: { address: faucet.address, private_key: faucet.privateKey },
  };
  wallet = new TronDemoWallet(chain);
});
afterAll(async () => {
  await dev.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe("the demo's wallet on tron", () => {
  it.each(['USDC', 'USDT', null])('moves %s on the chain and returns the block', async (symbol) => {
    const token = symbol === null ? null : (dev.tokens[symbol]?.address ?? '');
    const to = await wallet.newAddress();
    const paid = await wallet.pay({ token, to, amount: 25_000_000n });
    expect(paid).toEqual({
      txHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      blockNumber: expect.any(Number),
    });
    expect(await wallet.balanceOf(token, to)).toBe(25_000_000n);
  });

  it('pays each of two equal payments that are made at the same moment', async () => {
    const token = dev.tokens['USDC']?.address ?? '';
    const to = await wallet.newAddress();
    const paid = await Promise.all([1, 2].map(() => wallet.pay({ token, to, amount: 3n })));
    expect(new Set(paid.map(({ txHash }) => txHash)).size).toBe(2);
    expect(await wallet.balanceOf(token, to)).toBe(6n);
  });

  it('pays nothing on another chain than the expected one, nor in a token that the sandbox does not have', async () => {
    const to = await wallet.newAddress();
    const other = new TronDemoWallet({ ...chain, chain_id: 'another' });
    await expect(other.pay({ token: null, to, amount: 1_000_000n })).rejects.toThrow('instead of another.');
    await expect(wallet.pay({ token: to, to, amount: 1n })).rejects.toThrow(`no token ${to} on tron`);
  });

  it('says which chain does not answer', async () => {
    const gone = new TronDemoWallet({ ...chain, rpc_url: 'http://127.0.0.1:1' });
    await expect(gone.pay({ token: null, to: chain.faucet.address, amount: 1n })).rejects.toThrow(
      'The chain at http://127.0.0.1:1 does not answer.',
    );
  });
});
