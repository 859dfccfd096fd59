import { generateKeyPairSigner, type Address } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { base58 } from '@scure/base';
import walletCore from '@trustwallet/wallet-core';
import { z } from 'zod';
import { SolanaLab } from '../../../../test/support/solana-lab.js';
import { devSigner, SOLANA_ROLES } from './solana-dev-accounts.js';

const PROCESSED = { commitment: 'processed' };
const AMOUNT = z.object({ value: z.object({ amount: z.string() }) });

let lab: SolanaLab;
let core: Awaited<ReturnType<typeof walletCore.initWasm>>;

beforeAll(async () => {
  [lab, core] = [await SolanaLab.open(), await walletCore.initWasm()];
});
afterAll(() => lab.close());

/** Signs with the wallet of another vendor, which shares no code with the chain or with kit. */
async function signed(order: object): Promise<{ base64: string; signature: string }> {
  const { TW } = walletCore;
  const { blockhash } = await lab.lifetime();
  const input = TW.Solana.Proto.SigningInput.create({
    privateKey: devSigner(SOLANA_ROLES.faucet).secret,
    recentBlockhash: blockhash,
    txEncoding: TW.Solana.Proto.Encoding.Base64,
    ...order,
  });
  const bytes = core.AnySigner.sign(TW.Solana.Proto.SigningInput.encode(input).finish(), core.CoinType.solana);
  const { encoded, errorMessage } = TW.Solana.Proto.SigningOutput.decode(bytes);
  expect(errorMessage).toBe('');
  return { base64: encoded, signature: base58.encode(Buffer.from(encoded, 'base64').subarray(1, 65)) };
}

async function freshAddress(): Promise<Address> {
  return (await generateKeyPairSigner()).address;
}

describe('the wallet of another vendor', () => {
  it('pays coins, and the chain reports its signature as the id of the transaction', async () => {
    const recipient = await freshAddress();
    const transaction = await signed({ transferTransaction: { recipient, value: 700_000 } });
    expect(await lab.land(transaction)).toBe(transaction.signature);
    expect(await lab.ask('getBalance', recipient, PROCESSED)).toMatchObject({ result: { value: 700_000 } });
    await lab.settle();
    expect(await lab.ask('getTransaction', transaction.signature)).toMatchObject({
      result: { transaction: { signatures: [transaction.signature] }, meta: { err: null } },
    });
  });

  it('creates a token account and pays into it', async () => {
    const mint = (await lab.controls.info()).mints['USDC'] as Address;
    const owner = await freshAddress();
    const accountOf = async (wallet: Address): Promise<Address> =>
      (await findAssociatedTokenPda({ owner: wallet, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0];
    const account = await accountOf(owner);
    const transaction = await signed({
      createAndTransferTokenTransaction: {
        recipientMainAddress: owner,
        tokenMintAddress: mint,
        recipientTokenAddress: account,
        senderTokenAddress: await accountOf(lab.faucet.address),
        amount: 2_500_000,
        decimals: 6,
      },
    });
    expect(await lab.land(transaction)).toBe(transaction.signature);
    const { value } = await lab.result(AMOUNT, 'getTokenAccountBalance', account, PROCESSED);
    expect(value.amount).toBe('2500000');
  });
});
