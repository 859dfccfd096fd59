import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getAddressEncoder,
  getProgramDerivedAddress,
  getU64Encoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Address,
  type Instruction,
} from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { eventually } from '../../../../test/support/eventually.js';
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
  const { lab, mints } = scene;
  const owner = address(recipient);
  const seeds = { owner, mint: address(mints.USDC), tokenProgram: TOKEN_PROGRAM_ADDRESS };
  const [account] = await findAssociatedTokenPda(seeds);
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
    const { lab, mints, db } = scene;
    const instructions = await paymentIn(mints.USDC, lab.faucet, { to: intent.address, amount: 25n * USDC });
    const txHash = await lab.land(await sign(instructions, intent.address));
    await lab.settle();
    const [deposit] = await eventually(
      async () => {
        scene.nudge();
        return (await scene.deposits()).filter(({ intent_id: id }) => id === intent.id);
      },
      ([found]) => found?.status === 'confirmed',
    );
    expect(deposit).toMatchObject({
      tx_hash: txHash,
      amount: String(25n * USDC),
      from_address: lab.faucet.address,
      other_senders: null,
    });
    await settlementOn(db.database).settle(intent.id);
    expect(await stateOf(db.database, intent)).toMatchObject({ status: 'completed', received: 25n * USDC });
  });
});
