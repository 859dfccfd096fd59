import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  fetchEncodedAccount,
  generateKeyPairSigner,
  getAddressEncoder,
  getProgramDerivedAddress,
  getU64Encoder,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLoadedAccountsDataSizeLimit,
  setTransactionMessagePriorityFeeLamports,
  signTransactionMessageWithSigners,
  type Address,
  type Base64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  type Signature,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  fetchToken,
  findAssociatedTokenPda,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { bytesOf, SolanaLab, type SignedBytes } from '../../../../test/support/solana-lab.js';

const TABLE_PROGRAM = address('AddressLookupTab1e1111111111111111111111111');
const SYSTEM_PROGRAM = address('11111111111111111111111111111111');

let lab: SolanaLab;
let usdc: Address;

beforeAll(async () => {
  lab = await SolanaLab.open();
  usdc = address((await lab.controls.info()).mints['USDC'] ?? '');
});
afterAll(() => lab.close());

async function tokenAccountOf(owner: Address): Promise<Address> {
  const [account] = await findAssociatedTokenPda({ owner, mint: usdc, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  return account;
}

/** Returns the instructions that create the recipient's token account and pay into it. */
async function payment(from: KeyPairSigner, to: Address, amount: bigint): Promise<Instruction[]> {
  const destination = await tokenAccountOf(to);
  return [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: from, owner: to, mint: usdc }),
    getTransferCheckedInstruction({
      source: await tokenAccountOf(from.address),
      mint: usdc,
      destination,
      authority: from,
      amount,
      decimals: 6,
    }),
  ];
}

const processed = { commitment: 'processed' } as const;

describe('the official clients, unchanged, on the development chain', () => {
  it('pay coins, and read the payment, its status and its fee', async () => {
    const { address: to } = await generateKeyPairSigner();
    const signature = await lab.land(await lab.signTransfer(to, 700_000n, { version: 'legacy' }));
    await lab.settle();
    expect((await lab.rpc.getBalance(to).send()).value).toBe(700_000n);
    const { value: statuses } = await lab.rpc.getSignatureStatuses([signature as Signature]).send();
    expect(statuses[0]).toMatchObject({ confirmationStatus: 'finalized', confirmations: null, err: null });
    const found = await lab.rpc
      .getTransaction(signature as Signature, { maxSupportedTransactionVersion: 0, encoding: 'json' })
      .send();
    expect(found).toMatchObject({ version: 'legacy', meta: { err: null, fee: 5_000n } });
    const [listed] = await lab.rpc.getSignaturesForAddress(to).send();
    expect(listed).toMatchObject({ signature, confirmationStatus: 'finalized', err: null, slot: found?.slot });
  });

  it('create token accounts, pay tokens, and close an account, whose rent comes back', async () => {
    const owner = await lab.newWallet();
    const account = await tokenAccountOf(owner.address);
    await lab.land(await lab.sign(await payment(lab.faucet, owner.address, 2_500_000n)));
    const token = await fetchToken(lab.rpc, account, processed);
    expect(token.data).toMatchObject({ amount: 2_500_000n, mint: usdc, owner: owner.address });
    expect(token.lamports).toBe(1_488_440n);

    const before = await lab.rpc.getBalance(owner.address, processed).send();
    const back = await payment(owner, lab.faucet.address, 2_500_000n);
    const close = getCloseAccountInstruction({ account, destination: owner.address, owner });
    await lab.land(await lab.sign([...back, close]));
    expect((await fetchEncodedAccount(lab.rpc, account, processed)).exists).toBe(false);
    const after = await lab.rpc.getBalance(owner.address, processed).send();
    expect(after.value - before.value).toBe(1_488_440n);
  });

  it('use a lookup table in version 0, and see the addresses that it loads', async () => {
    const slot = await lab.rpc.getSlot(processed).send();
    const seeds = [getAddressEncoder().encode(lab.faucet.address), getU64Encoder().encode(slot)];
    const [table, bump] = await getProgramDerivedAddress({ programAddress: TABLE_PROGRAM, seeds });
    const { address: to } = await generateKeyPairSigner();
    const accounts = [
      { address: table, role: AccountRole.WRITABLE },
      { address: lab.faucet.address, role: AccountRole.READONLY_SIGNER, signer: lab.faucet },
      { address: lab.faucet.address, role: AccountRole.WRITABLE_SIGNER, signer: lab.faucet },
      { address: SYSTEM_PROGRAM, role: AccountRole.READONLY },
    ];
    const createData = new Uint8Array([0, 0, 0, 0, ...getU64Encoder().encode(slot), bump]);
    const extendData = new Uint8Array([2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, ...getAddressEncoder().encode(to)]);
    const creation = await lab.sign([
      { programAddress: TABLE_PROGRAM, accounts, data: createData },
      { programAddress: TABLE_PROGRAM, accounts, data: extendData },
    ]);
    // A preflight would have shown the slots to the program already.
    await lab.land(creation, { skipPreflight: true });
    await lab.controls.mine();

    const lifetime = await lab.lifetime();
    const transfer = getTransferSolInstruction({ source: lab.faucet, destination: to, amount: 800_000n });
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (one) => setTransactionMessageFeePayerSigner(lab.faucet, one),
      (one) => setTransactionMessageLifetimeUsingBlockhash(lifetime, one),
      (one) => appendTransactionMessageInstructions([transfer], one),
      (one) => compressTransactionMessageUsingAddressLookupTables(one, { [table]: [to] }),
    );
    const signature = await lab.land(bytesOf(await signTransactionMessageWithSigners(message)));
    await lab.settle();
    expect((await lab.rpc.getBalance(to).send()).value).toBe(800_000n);
    const found = await lab.rpc
      .getTransaction(signature as Signature, { maxSupportedTransactionVersion: 0, encoding: 'json' })
      .send();
    expect(found?.meta?.loadedAddresses).toEqual({ readonly: [], writable: [to] });
    expect(found?.transaction.message).toMatchObject({
      addressTableLookups: [{ accountKey: table, readonlyIndexes: [], writableIndexes: [0] }],
    });
    const [listed] = await lab.rpc.getSignaturesForAddress(to).send();
    expect(listed?.signature).toBe(signature);
  });

  it('send version 1, with the limits of a simulation and a priority fee in lamports', async () => {
    const { address: to } = await generateKeyPairSigner();
    const draft = await version1(await payment(lab.faucet, to, 1_000_000n), 2_000_000);
    const signature = await lab.land(await draft.withLimit(await draft.simulatedBytes()));
    await lab.settle();
    const found = await lab.rpc
      .getTransaction(signature as Signature, { maxSupportedTransactionVersion: 1, encoding: 'json' })
      .send();
    expect(found).toMatchObject({
      version: 1,
      meta: { err: null, fee: 5_777n },
      transaction: {
        message: { transactionConfig: { computeUnitLimit: 100_000, heapSize: null, priorityFee: 777n } },
      },
    });
  });

  it('learn from a simulation the exact amount of data that a transfer of version 1 loads', async () => {
    const { address: to } = await generateKeyPairSigner();
    const transfer = getTransferSolInstruction({ source: lab.faucet, destination: to, amount: 900_000n });
    const draft = await version1([transfer], 2_000_000);
    const bytes = await draft.simulatedBytes();
    expect(await lab.send(await draft.withLimit(bytes - 1))).toMatchObject({
      error: { code: -32002, data: { err: 'MaxLoadedAccountsDataSizeExceeded' } },
    });
    await lab.land(await draft.withLimit(bytes));
  });
});

/** A transaction of version 1 whose limit of loaded data can be changed. */
async function version1(instructions: readonly Instruction[], limit: number) {
  const lifetime = await lab.lifetime();
  const message = pipe(
    createTransactionMessage({ version: 1 }),
    (one) => setTransactionMessageFeePayerSigner(lab.faucet, one),
    (one) => setTransactionMessageLifetimeUsingBlockhash(lifetime, one),
    (one) => appendTransactionMessageInstructions(instructions, one),
    (one) => setTransactionMessageComputeUnitLimit(100_000, one),
    (one) => setTransactionMessagePriorityFeeLamports(777n, one),
  );
  const withLimit = async (bytes: number): Promise<SignedBytes> =>
    bytesOf(await signTransactionMessageWithSigners(setTransactionMessageLoadedAccountsDataSizeLimit(bytes, message)));
  const simulatedBytes = async (): Promise<number> => {
    const { base64 } = await withLimit(limit);
    const { value } = await lab.rpc
      .simulateTransaction(base64 as Base64EncodedWireTransaction, { encoding: 'base64', ...processed })
      .send();
    expect(value).toMatchObject({ err: null, fee: 5_777n });
    return value.loadedAccountsDataSize ?? 0;
  };
  return { withLimit, simulatedBytes };
}
