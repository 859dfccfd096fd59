import { type Address, address, generateKeyPairSigner, type Instruction, type KeyPairSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  AuthorityType,
  findAssociatedTokenPda,
  getInitializeAccount3Instruction,
  getSetAuthorityInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { SolanaScene } from './solana-scene.js';

const SPACE = 165n;

/** How a token account beside the associated one came to hold funds. */
export interface OtherAccountTerms {
  readonly amount?: bigint;
  readonly token?: 'USDC' | 'USDT';
  /** The keys of an account that is opened again. */
  readonly keys?: KeyPairSigner;
  /** The payer opens it as his own, and makes the address its owner afterwards. */
  readonly isHandedOver?: boolean;
  /** The payer stays the one who may close it. */
  readonly keepsClosing?: boolean;
}

/** Such an account, and the last transaction that paid to it. */
export interface PaidAccount {
  readonly account: string;
  readonly keys: KeyPairSigner;
  readonly txHash: string;
}

/** Pays 25 USDC, or as the terms say, to a token account that the owner has beside its associated one. */
export async function paidBeside(
  scene: SolanaScene,
  owner: string,
  { amount = 25_000_000n, token = 'USDC', keys, isHandedOver = false, keepsClosing = false }: OtherAccountTerms = {},
): Promise<PaidAccount> {
  const { lab, mints } = scene;
  const [payer, newAccount] = [await scene.payer(amount, token), keys ?? (await generateKeyPairSigner())];
  const [mint, account] = [address(mints[token]), newAccount.address];
  const [source] = await findAssociatedTokenPda({ owner: payer.address, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const lamports = await lab.rpc.getMinimumBalanceForRentExemption(SPACE).send();
  const first = isHandedOver || keepsClosing ? payer.address : address(owner);
  const opening = [
    getCreateAccountInstruction({ payer, newAccount, lamports, space: SPACE, programAddress: TOKEN_PROGRAM_ADDRESS }),
    getInitializeAccount3Instruction({ account, mint, owner: first }),
    getTransferCheckedInstruction({ source, mint, destination: account, authority: payer, amount, decimals: 6 }),
  ];
  const change = (authorityType: AuthorityType, newAuthority: Address): Instruction =>
    getSetAuthorityInstruction({ owned: account, owner: payer, authorityType, newAuthority });
  const steps: Instruction[][] = [opening];
  if (first !== owner) {
    const closing = keepsClosing ? [change(AuthorityType.CloseAccount, payer.address)] : [];
    steps.push([...closing, change(AuthorityType.AccountOwner, address(owner))]);
  }
  let txHash = '';
  for (const instructions of steps) txHash = await lab.land(await lab.sign(instructions, { payer }));
  await lab.settle();
  return { account, keys: newAccount, txHash };
}

/** Token accounts as a node lists them. */
export interface ListedAccounts {
  readonly value: readonly {
    readonly pubkey: string;
    readonly account: { readonly data: readonly [string, string] };
  }[];
}

/** Only the owner's key can name a delegate on the chain, and the vault never does: gives one to this account by its data. */
export function withDelegate(
  listed: ListedAccounts['value'][number],
  delegated: string | null,
): ListedAccounts['value'][number] {
  if (listed.pubkey !== delegated) return listed;
  const data = Buffer.from(listed.account.data[0], 'base64');
  data.writeUInt32LE(1, 72);
  data.writeBigUInt64LE(1n, 121);
  return { ...listed, account: { ...listed.account, data: [data.toString('base64'), 'base64'] } };
}
