import { generateKeyPairSigner, address, type KeyPairSigner } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getSyncNativeInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { eventually } from '../../../../test/support/eventually.js';
import { freeAddresses } from '../../../../test/support/factories.js';
import { listAddress } from '../../../../test/support/listed-address.js';
import { settlementOn, stateOf } from '../../../../test/support/settlement.js';
import { SolanaLab } from '../../../../test/support/solana-lab.js';
import { SolanaScene } from '../../../../test/support/solana-scene.js';
import { query } from '../../../../test/support/sql.js';
import { isRecord } from '../../../chains/rpc/json-rpc.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import { roundAddresses } from './round-size.js';

const USDC = 1_000_000n;
const LAMPORTS = 1_000_000_000n;
const UNLIMITED = { requestsPerSecond: null, accountsPerRequest: 100 };
const WRAPPED_SOL = address('So11111111111111111111111111111111111111112');

let lab: SolanaLab;
let scene: SolanaScene;
beforeAll(async () => {
  lab = await SolanaLab.open();
});
afterAll(() => lab.close());
beforeEach(async () => {
  scene = await SolanaScene.open(lab);
});
afterEach(() => scene.close());

/** Waits until the listener has read the newest block. */
async function untilRead(): Promise<void> {
  const { slot } = await scene.head();
  await eventually(
    () => {
      scene.hurry();
      return scene.cursor();
    },
    ({ height }) => height >= slot,
  );
}

/** Sends coins out of a wallet. */
const coinsOf = (source: KeyPairSigner, to: string, amount: bigint) =>
  getTransferSolInstruction({ source, destination: address(to), amount });

/** Wraps coins of the faucet, in a block of their own. Returns the account that holds them, and what closing it pays out. */
async function wrapped(amount: bigint): Promise<{ readonly account: string; readonly paysOut: bigint }> {
  const seeds = { owner: lab.faucet.address, mint: WRAPPED_SOL, tokenProgram: TOKEN_PROGRAM_ADDRESS };
  const [account] = await findAssociatedTokenPda(seeds);
  const open = { payer: lab.faucet, owner: lab.faucet.address, mint: WRAPPED_SOL };
  await lab.land(
    await lab.sign([
      await getCreateAssociatedTokenIdempotentInstructionAsync(open),
      coinsOf(lab.faucet, account, amount),
      getSyncNativeInstruction({ account }),
    ]),
  );
  const { value } = await lab.rpc.getBalance(account, { commitment: 'processed' }).send();
  return { account, paysOut: value };
}

describe('a payment on Solana', () => {
  it.each([
    ['USDC', 25n * USDC],
    ['USDT', 25n * USDC],
    ['SOL', 25n * LAMPORTS],
  ] as const)('in %s is seen when it is confirmed, and credited when it is final', async (symbol, amount) => {
    const intent = await scene.intent(symbol);
    scene.listen();
    const token = symbol === 'SOL' ? null : symbol;
    const txHash = await scene.lab.controls.fund({ owner: intent.address, token, amount });
    await scene.lab.controls.mine(2);
    expect(await scene.untilDeposits(1, 'seen')).toEqual([
      {
        status: 'seen',
        amount: String(amount),
        token_contract: scene.chain(symbol).contract,
        tx_hash: txHash,
        // Test tokens are minted: nobody has less of them.
        from_address: token === null ? scene.lab.faucet.address : null,
        to_address: intent.address,
        other_senders: null,
        block_height: expect.any(String),
        intent_id: intent.id,
      },
    ]);
    expect(scene.touched).toContain(intent.id);
    await scene.lab.settle();
    await scene.untilDeposits(1, 'confirmed');
    await settlementOn(scene.db.database).settle(intent.id);
    expect(await stateOf(scene.db.database, intent)).toMatchObject({
      status: 'completed',
      received: amount,
      pocket: amount,
    });
  });

  it('comes in parts, and several in one transaction: each account is credited with what it received', async () => {
    const [first, second] = [await scene.intent(), await scene.intent()];
    scene.listen();
    await scene.pay([
      { to: first.address, amount: 10n * USDC },
      { to: second.address, amount: 25n * USDC },
    ]);
    await scene.lab.settle();
    await scene.untilDeposits(2, 'confirmed');
    await scene.pay([{ to: first.address, amount: 15n * USDC }]);
    await scene.lab.settle();
    const found = await scene.untilDeposits(3, 'confirmed');
    expect(found.filter(({ intent_id: id }) => id === first.id).map(({ amount }) => amount)).toEqual([
      String(10n * USDC),
      String(15n * USDC),
    ]);
    expect(new Set(found.map(({ tx_hash: txHash }) => txHash)).size).toBe(2);
  });

  it('by two payers in one transaction has two senders, and both are screened', async () => {
    const intent = await scene.intent();
    scene.listen();
    const payer = await scene.payer(5n * USDC);
    await query(
      scene.db.database,
      `insert into sanctions_import (source, published_on, addresses, content_hash) values ('test', now(), 1, repeat('a', 64))`,
    );
    await listAddress(scene.db.database, payer.address, 'solana');
    await scene.pay([
      { to: intent.address, amount: 20n * USDC },
      { to: intent.address, amount: 5n * USDC, from: payer },
    ]);
    await scene.lab.settle();
    const [deposit] = await scene.untilDeposits(1, 'confirmed');
    expect(deposit).toMatchObject({
      amount: String(25n * USDC),
      from_address: scene.lab.faucet.address,
      other_senders: [payer.address],
    });
    const listed = await query(scene.db.database, `select from deposit where listed_sender_id is not null`);
    expect(listed).toHaveLength(1);
  });

  it('in SOL may come from two payers at once, or be what a program pays out of an account that it closes', async () => {
    const [shared, unwrapped] = [await scene.intent('SOL'), await scene.intent('SOL')];
    scene.listen();
    const payer = await lab.newWallet(6n * LAMPORTS);
    const parts = [coinsOf(lab.faucet, shared.address, 20n * LAMPORTS), coinsOf(payer, shared.address, 5n * LAMPORTS)];
    await lab.land(await lab.sign(parts));
    const { account, paysOut } = await wrapped(25n * LAMPORTS);
    const close = { account: address(account), destination: address(unwrapped.address), owner: lab.faucet };
    await lab.land(await lab.sign([getCloseAccountInstruction(close)]));
    await lab.settle();
    const found = await scene.untilDeposits(2, 'confirmed');
    expect(paysOut).toBeGreaterThan(25n * LAMPORTS);
    expect(found).toMatchObject([
      {
        intent_id: shared.id,
        amount: String(25n * LAMPORTS),
        from_address: lab.faucet.address,
        other_senders: [payer.address],
      },
      { intent_id: unwrapped.id, amount: String(paysOut), from_address: lab.faucet.address, other_senders: null },
    ]);
  });

  it('that fails on the chain, or in a token that is not listed, is no payment', async () => {
    const intent = await scene.intent();
    scene.listen();
    const poor = await scene.payer(1n * USDC);
    await scene.lab.send(await scene.signedPayments([{ to: intent.address, amount: 25n * USDC, from: poor }]), {
      skipPreflight: true,
    });
    await scene.lab.controls.mine();
    await scene.lab.settle();
    await untilRead();
    expect(await scene.deposits()).toEqual([]);
    await scene.fund({ owner: intent.address, token: 'USDC', amount: 25n * USDC });
    await scene.lab.settle();
    expect(await scene.untilDeposits(1, 'confirmed')).toMatchObject([{ amount: String(25n * USDC) }]);
  });

  it('to an address that no intent has is found, and belongs to nobody', async () => {
    const { address: free } = await scene.freeAddress();
    scene.listen();
    await scene.fund({ owner: free, token: 'USDC', amount: 3n * USDC });
    await scene.lab.settle();
    expect(await scene.untilDeposits(1, 'confirmed')).toMatchObject([{ to_address: free, intent_id: null }]);
  });

  it('to the oldest of more addresses than a step reads is found in a later step of the round', async () => {
    const { address: oldest } = await scene.freeAddress();
    await freeAddresses(scene.db.database, roundAddresses(UNLIMITED), 'sandbox', undefined, 'solana');
    scene.listen();
    await scene.fund({ owner: oldest, token: 'USDC', amount: 3n * USDC });
    await scene.lab.settle();
    expect(await scene.untilDeposits(1, 'confirmed')).toMatchObject([{ to_address: oldest }]);
  });
});

describe('a balance', () => {
  it('whose transaction the node does not list yet keeps its intent open, and credits nothing', async () => {
    const [intent, other] = [await scene.intent('USDC', 1), await scene.intent('USDC', 1)];
    const proxy = await scene.proxy(async (question, ask) =>
      question.method === 'getSignaturesForAddress' ? [] : (await ask(question))['result'],
    );
    scene.listen([proxy.url]);
    await scene.fund({ owner: intent.address, token: 'USDC', amount: 25n * USDC });
    await scene.lab.controls.advanceClock(60);
    await scene.lab.settle();
    await untilRead();
    const settlement = settlementOn(scene.db.database);
    const statusOf = async (id: string): Promise<string> => {
      await settlement.settle(id);
      const [row] = await query<{ status: string }>(
        scene.db.database,
        `select status from payment_intent where id = $1`,
        [id],
      );
      return row?.status ?? '';
    };
    await eventually(
      () => statusOf(other.id),
      (status) => status === 'expired',
    );
    expect(await statusOf(intent.id)).toBe('requires_action');
    expect(await scene.deposits()).toEqual([]);
    proxy.lie = null;
    await scene.untilDeposits(1, 'confirmed');
    expect(await query(scene.db.database, `select from unexplained_balance`)).toEqual([]);
  });
});

describe('two nodes', () => {
  it('that disagree on a final block make nothing final until they agree', async () => {
    const intent = await scene.intent();
    const { address: blockhash } = await generateKeyPairSigner();
    const proxy = await scene.proxy(async (question, ask) => {
      const { result } = await ask(question);
      const isFinal = JSON.stringify(question.params).includes('finalized');
      return isFinal && isRecord(result) && 'blockhash' in result ? { ...result, blockhash } : result;
    });
    scene.listen([scene.lab.chain.url, proxy.url]);
    await scene.fund({ owner: intent.address, token: 'USDC', amount: 25n * USDC });
    await scene.lab.settle();
    await eventually(
      () => {
        scene.hurry();
        return scene.cursor();
      },
      ({ doubt }) => doubt !== null,
    );
    await scene.untilDeposits(1, 'seen');
    expect((await scene.cursor()).doubt).not.toBeNull();
    proxy.lie = null;
    await scene.untilDeposits(1, 'confirmed');
    expect((await scene.cursor()).doubt).toBeNull();
  });
});

it('an account is an address of its wallet and its token alone', async () => {
  const intent = await scene.intent();
  const accounts = await query<{ account: string; token_contract: string }>(
    scene.db.database,
    `select account, token_contract from watched_account`,
  );
  expect(accounts).toEqual([]);
  scene.listen();
  await scene.lab.settle();
  await untilRead();
  const stored = await query<{ account: string; token_contract: string }>(
    scene.db.database,
    `select account, token_contract from watched_account order by token_contract`,
  );
  expect(stored.map(({ token_contract: token }) => token).toSorted()).toEqual(
    [NATIVE_COIN, ...Object.values(scene.mints)].toSorted(),
  );
  expect(stored.find(({ token_contract: token }) => token === NATIVE_COIN)?.account).toBe(intent.address);
  for (const { account } of stored) expect(address(account)).toBe(account);
});
