import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SolanaDevChain, startSolanaDevChain } from '../../devtools/devnet/solana/solana-dev-chain.js';
import type { DemoChain } from './demo-wallet.js';
import { SolanaDemoWallet } from './solana-demo-wallet.js';

let dataDir: string;
let dev: SolanaDevChain;
let chain: DemoChain;
let wallet: SolanaDemoWallet;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-solana-'));
  dev = await startSolanaDevChain({ dataDir, preferredPort: 0, blockIntervalMs: 20, log: () => undefined });
  const { rpcUrl, chainId, tokens, faucet } = dev;
  chain = {
    rpc_url: rpcUrl,
    chain_id: chainId,
    tokens: { ...tokens, SOL: { address: 'native', decimals: 9 } },
    pockets: {},
    faucet: { address: faucet.address, private_key: faucet.privateKey },
  };
  wallet = new SolanaDemoWallet(chain);
});
afterAll(async () => {
  await dev.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe("the demo's wallet on solana", () => {
  it.each(['USDC', 'USDT', null])('moves %s on the chain and returns the slot', async (symbol) => {
    const token = symbol === null ? null : (dev.tokens[symbol]?.address ?? '');
    const to = await wallet.newAddress();
    const paid = await wallet.pay({ token, to, amount: 25_000_000n });
    expect(paid).toEqual({
      txHash: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{87,88}$/),
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
    const other = new SolanaDemoWallet({ ...chain, chain_id: 'another' });
    await expect(other.pay({ token: null, to, amount: 1_000_000n })).rejects.toThrow('instead of another.');
    await expect(wallet.pay({ token: to, to, amount: 1n })).rejects.toThrow(`no token ${to} on solana`);
  });

  it('says which chain does not answer', async () => {
    const gone = new SolanaDemoWallet({ ...chain, rpc_url: 'http://127.0.0.1:1' });
    await expect(gone.pay({ token: null, to: chain.faucet.address, amount: 1n })).rejects.toThrow(
      'The chain at http://127.0.0.1:1 does not answer.',
    );
  });
});
