import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  getProgramDerivedAddress,
  getU64Encoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getInitializeMultisig2Instruction,
  getMultisigSize,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { eventually } from '../../../../test/support/eventually.js';
import type { SeededIntent } from '../../../../test/support/factories.js';
import { settlementOn, stateOf } from '../../../../test/support/settlement.js';
import { bytesOf, type SignedBytes } from '../../../../test/support/solana-lab.js';
import { paymentIn } from '../../../../test/support/solana-payments.js';
import { SolanaScene } from '../../../../test/support/solana-scene.js';

const TABLE_PROGRAM = address('AddressLookupTab1e1111111111111111111111111');
const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
const USDC = 1_000_000n;

let scene: SolanaScene;
beforeAll(async () => {
  scene = await SolanaScene.open();
});
afterAll(() => scene.close());

/** A lookup table of the faucet with one address. */
async function tableOf(entry: Address): Promise<Address> {
  const { lab } = scene;
  const slot = await lab.rpc.getSlot({ commitment: 'processed' }).send();
  const seeds = [getAddressEncoder().encode(lab.faucet.address), getU64Encoder().encode(slot)];
  const [table, bump] = await getProgramDerivedAddress({ programAddress: TABLE_PROGRAM, seeds });
  const accounts = [
    { address: table, role: AccountRole.WRITABLE },
    { address: lab.faucet.address, role: AccountRole.READONLY_SIGNER, signer: lab.faucet },
    { address: lab.faucet.address, role: AccountRole.WRITABLE_SIGNER, signer: lab.faucet },
    { address: SYSTEM_PROGRAM, role: AccountRole.READONLY },
  ];
  const create = new Uint8Array([0, 0, 0, 0, ...getU64Encoder().encode(slot), bump]);
  const extend = new Uint8Array([2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, ...getAddressEncoder().encode(entry)]);
  const made = await lab.sign([create, extend].map((data) => ({ programAddress: TABLE_PROGRAM, accounts, data })));
  // A preflight would have shown the slots to the program already.
  await lab.land(made, { skipPreflight: true });
  await lab.controls.mine();
  return table;
}

/** Signs a message that names the recipient's account by its place in a table. */
async function throughTable(instructions: readonly Instruction[], recipient: string): Promise<SignedBytes> {
  const { lab } = scene;
  const account = await accountOf(recipient);
  const table = await tableOf(account);
  const lifetime = await lab.lifetime();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (one) => setTransactionMessageFeePayerSigner(lab.faucet, one),
    (one) => setTransactionMessageLifetimeUsingBlockhash(lifetime, one),
    (one) => appendTransactionMessageInstructions(instructions, one),
    (one) => compressTransactionMessageUsingAddressLookupTables(one, { [table]: [account] }),
  );
  expect(message.instructions.flatMap(({ accounts = [] }) => accounts)).toContainEqual(
    expect.objectContaining({ lookupTableAddress: table }),
  );
  return bytesOf(await signTransactionMessageWithSigners(message));
}

/** The account of an owner that holds USDC. */
async function accountOf(owner: string): Promise<Address> {
  const seeds = { owner: address(owner), mint: address(scene.mints.USDC), tokenProgram: TOKEN_PROGRAM_ADDRESS };
  return (await findAssociatedTokenPda(seeds))[0];
}

/** An account of the token program that owns tokens, and pays them when all of these sign. */
async function multisigOf(signers: readonly KeyPairSigner[]): Promise<Address> {
  const { lab } = scene;
  const newAccount = await generateKeyPairSigner();
  const space = getMultisigSize();
  const lamports = await lab.rpc.getMinimumBalanceForRentExemption(BigInt(space)).send();
  const programAddress = TOKEN_PROGRAM_ADDRESS;
  const members = { multisig: newAccount.address, signers: signers.map((one) => one.address), m: signers.length };
  await lab.land(
    await lab.sign([
      getCreateAccountInstruction({ payer: lab.faucet, newAccount, lamports, space, programAddress }),
      getInitializeMultisig2Instruction(members),
    ]),
  );
  return newAccount.address;
}

/** Waits until the payment of 25 USDC is final, and settles its intent. */
async function expectCollected(intent: SeededIntent, txHash: string, payer: string): Promise<void> {
  const { database } = scene.db;
  await scene.lab.settle();
  const [deposit] = await eventually(
    async () => {
      scene.nudge();
      return (await scene.deposits()).filter(({ intent_id: id }) => id === intent.id);
    },
    ([found]) => found?.status === 'confirmed',
  );
  const paid = { tx_hash: txHash, amount: String(25n * USDC), from_address: payer, other_senders: null };
  expect(deposit).toMatchObject(paid);
  await settlementOn(database).settle(intent.id);
  expect(await stateOf(database, intent)).toMatchObject({ status: 'completed', received: 25n * USDC });
}

describe('a payment on Solana', () => {
  it.each([
    [
      'a legacy transaction',
      (instructions: readonly Instruction[]) => scene.lab.sign(instructions, { version: 'legacy' }),
    ],
    ['version 0 and a lookup table', throughTable],
    ['version 1', (instructions: readonly Instruction[]) => scene.lab.sign(instructions, { version: 1 })],
  ] as const)('is collected from a payer with %s', async (_form, sign) => {
    const intent = await scene.intent();
    const { lab, mints } = scene;
    const instructions = await paymentIn(mints.USDC, lab.faucet, { to: intent.address, amount: 25n * USDC });
    const txHash = await lab.land(await sign(instructions, intent.address));
    await expectCollected(intent, txHash, lab.faucet.address);
  });

  it('is collected from an account of a program: a multisig, which two of its signers let pay', async () => {
    const intent = await scene.intent();
    const { lab, mints } = scene;
    const signers = [lab.faucet, await lab.newWallet()];
    const payer = await multisigOf(signers);
    await scene.fund({ owner: payer, token: 'USDC', amount: 25n * USDC });
    const [open] = await paymentIn(mints.USDC, lab.faucet, { to: intent.address, amount: 25n * USDC });
    if (open === undefined) throw new Error('A payment opens an account first.');
    const transfer = getTransferCheckedInstruction({
      source: await accountOf(payer),
      mint: address(mints.USDC),
      destination: await accountOf(intent.address),
      authority: payer,
      multiSigners: signers,
      amount: 25n * USDC,
      decimals: 6,
    });
    await expectCollected(intent, await lab.land(await lab.sign([open, transfer])), payer);
  });
});
