import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyPairSignerFromBytes, createSolanaRpc, getBase58Encoder } from '@solana/kit';
import { developmentProfile } from '../../../chains/networks.js';
import { SolanaClient } from '../../../chains/solana/solana-client.js';
import { verifyTokens } from '../../../chains/token-check.js';
import { waitFor } from '../../../platform/processes.js';
import { solanaDevAccount } from './solana-dev-accounts.js';
import { type SolanaDevChain, startSolanaDevChain } from './solana-dev-chain.js';
import { signSolanaTransfer, type SignedSolanaTransfer } from './test-transfer.js';
import { solanaFate } from './transaction-fate.js';

const BLOCK_INTERVAL_MS = 20;
const PAYEE = solanaDevAccount('rival').address;
const WITHIN_MS = 60_000;

let dataDir: string;
let chain: SolanaDevChain;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-solana-'));
  chain = await start();
});
afterAll(async () => {
  await chain.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = (blockIntervalMs = BLOCK_INTERVAL_MS): Promise<SolanaDevChain> =>
  startSolanaDevChain({ dataDir, preferredPort: 0, blockIntervalMs, log: () => undefined });

const sign = (token: string | null, memo: string, amount = 5_000_000n): Promise<SignedSolanaTransfer> =>
  signSolanaTransfer(chain, { to: PAYEE, token, amount, memo, from: chain.sandboxPayer });

const send = ({ raw }: SignedSolanaTransfer) =>
  createSolanaRpc(chain.rpcUrl).sendTransaction(raw, { encoding: 'base64', preflightCommitment: 'confirmed' }).send();

const fateOf = ({ txHash, validity }: SignedSolanaTransfer) => solanaFate(chain.rpcUrl, txHash, validity);

describe('the development chain of solana', () => {
  it('has test tokens with the decimals of the live ones, which every client can read', async () => {
    const contracts = Object.fromEntries(
      Object.entries(chain.tokens).map(([symbol, { address }]) => [symbol, address]),
    );
    const profile = developmentProfile({ network: 'solana', chainId: chain.chainId, contracts });
    const client = new SolanaClient({ profile, rpcUrl: chain.rpcUrl });
    expect(Object.keys(chain.tokens)).toEqual(['USDC', 'USDT']);
    expect(await verifyTokens(client, profile)).toEqual([]);
    expect(await client.identity()).toEqual({ chainId: chain.chainId, genesisHash: chain.genesisHash });
    await client.close();
  });

  it('publishes the key of the faucet as wallets export it', async () => {
    const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(chain.faucet.privateKey));
    expect(signer.address).toBe(chain.faucet.address);
    expect(chain.faucet.address).not.toBe(chain.sandboxPayer.address);
  });

  it('is adopted with its accounts while its process runs, and makes blocks again after it made none', async () => {
    const still = await start(0);
    expect(still).toMatchObject({ origin: 'adopted', genesisHash: chain.genesisHash, tokens: chain.tokens });
    expect((await still.controls.info()).isAutomatic).toBe(false);
    await start();
    expect((await still.controls.info()).isAutomatic).toBe(true);
  });

  it('fills the payer again once half of its funds are gone', async () => {
    await send(await signSolanaTransfer(chain, { ...whole(), token: 'USDC', amount: 9n * 10n ** 14n, memo: 'a' }));
    await send(await signSolanaTransfer(chain, { ...whole(), token: null, amount: 9n * 10n ** 14n, memo: 'b' }));
    const holds = () => Promise.all([tokensOf('USDC'), coins()]);
    await waitFor(async () => ((await holds()).every((held) => held < 2n * 10n ** 14n) ? true : null), WITHIN_MS);
    await start();
    const filled = await waitFor(
      async () => ((await holds()).every((held) => held >= 9n * 10n ** 14n) ? true : null),
      WITHIN_MS,
    );
    expect(filled).toBe(true);
  });
});

const whole = () => ({ to: PAYEE, from: chain.sandboxPayer });

async function tokensOf(symbol: string): Promise<bigint> {
  const mint = chain.tokens[symbol]?.address ?? '';
  const owned = await createSolanaRpc(chain.rpcUrl)
    .getTokenAccountsByOwner(chain.sandboxPayer.address as never, { mint: mint as never }, { encoding: 'jsonParsed' })
    .send();
  return owned.value.reduce((sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount), 0n);
}

async function coins(): Promise<bigint> {
  return (
    await createSolanaRpc(chain.rpcUrl)
      .getBalance(chain.sandboxPayer.address as never)
      .send()
  ).value;
}

describe('a test transfer on solana', () => {
  it.each([null, 'USDC', 'USDT'])('in %s is final with the same bytes, however often they are sent', async (token) => {
    const signed = await sign(token, `final ${token}`);
    await send(signed);
    await send(signed).catch(() => undefined);
    const final = await waitFor(async () => {
      const fate = await fateOf(signed);
      return typeof fate !== 'string' && fate.isFinal ? fate : null;
    }, WITHIN_MS);
    expect(final).toMatchObject({ succeeded: true });
  });

  it('is another transaction than an equal one with the same blockhash and another memo', async () => {
    await chain.controls.pause();
    const signed = [await sign('USDC', 'order 1'), await sign('USDC', 'order 2'), await sign('USDC', 'order 2')];
    await chain.controls.resume();
    expect(new Set(signed.map(({ validity }) => validity.blockhash)).size).toBe(1);
    expect(new Set(signed.map(({ txHash }) => txHash)).size).toBe(2);
  });

  it('is dead once every block that could have it is final without it, and not before', async () => {
    await chain.controls.pause();
    const signed = await sign('USDC', 'never sent');
    const head = async () =>
      Number(await createSolanaRpc(chain.rpcUrl).getBlockHeight({ commitment: 'finalized' }).send());
    await chain.controls.mine(signed.validity.lastHeight - (await head()));
    expect(await head()).toBe(signed.validity.lastHeight);
    expect(await fateOf(signed)).toBe('absent');
    // The next block can have it too, and only the one after that proves that it cannot be in a later one.
    await chain.controls.mine(1);
    expect(await fateOf(signed)).toBe('absent');
    await chain.controls.mine(1);
    expect(await fateOf(signed)).toBe('dead');
    await chain.controls.resume();
  });

  it('is dead when its block was dropped, and absent while the history of its blocks is missing', async () => {
    await chain.controls.pause();
    const dropped = await sign('USDC', 'dropped');
    await chain.controls.fork(2);
    const kept = await sign('USDC', 'kept');
    await chain.controls.mine(200);
    expect(await fateOf(dropped)).toBe('dead');
    await chain.controls.truncateHistory(kept.validity.slot + 1);
    expect(await fateOf(kept)).toBe('absent');
    await chain.controls.resume();
  });
});
