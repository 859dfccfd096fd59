/**
 * A node of Solana whose slot advances with each `getSlot`. No account exists but the changed ones, each of which received
 * one USDC in one transaction. It answers what a round of the listener asks for, and nothing else. Run by `fork`; takes a
 * `SolanaState`, answers with its URL, and to each later message with the calls since the one before.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const PAYER = 'So1anaPayer11111111111111111111111111111111';
const FIRST_SLOT = 1_000;
const PAID_SLOT = 900;
/** One USDC, as the 8 bytes of a token account's amount. */
const ONE_USDC = ['QEIPAAAAAAA=', 'base64'];

/** The accounts that hold one USDC each, by the transaction that paid it. */
export interface SolanaState {
  readonly mint: string;
  readonly genesisHash: string;
  readonly changed: readonly { readonly account: string; readonly owner: string; readonly txHash: string }[];
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

async function serve({ mint, genesisHash, changed }: SolanaState): Promise<void> {
  const byAccount = new Map(changed.map((one) => [one.account, one]));
  const byHash = new Map(changed.map((one) => [one.txHash, one]));
  const stored = { lamports: 2_039_280, owner: TOKEN_PROGRAM, data: ONE_USDC };
  let slot = FIRST_SLOT;
  let calls = 0;

  const transactionOf = (txHash: string): object | null => {
    const paid = byHash.get(txHash);
    if (paid === undefined) return null;
    const balance = (accountIndex: number, owner: string, amount: string): object => ({
      accountIndex,
      mint,
      owner,
      programId: TOKEN_PROGRAM,
      uiTokenAmount: { amount },
    });
    return {
      slot: PAID_SLOT,
      version: 'legacy',
      transaction: { message: { accountKeys: [PAYER, PAYER.slice(1), paid.account] }, signatures: [txHash] },
      meta: {
        err: null,
        fee: 5_000,
        preBalances: [1_000_000, 2_039_280, 2_039_280],
        postBalances: [995_000, 2_039_280, 2_039_280],
        preTokenBalances: [balance(1, PAYER, '1000000'), balance(2, paid.owner, '0')],
        postTokenBalances: [balance(1, PAYER, '0'), balance(2, paid.owner, '1000000')],
      },
    };
  };
  const blockAt = (at: number): object => ({
    blockhash: `block${at}`,
    previousBlockhash: `block${at - 1}`,
    parentSlot: at - 1,
    blockHeight: at,
    blockTime: Math.floor(Date.now() / 1000),
  });
  const answers: Readonly<Record<string, (params: readonly never[]) => unknown>> = {
    getGenesisHash: () => genesisHash,
    getSlot: ([options]: readonly { readonly commitment: string }[]) =>
      options?.commitment === 'finalized' ? slot - 32 : ++slot,
    getBlock: ([at]: readonly number[]) => blockAt(at ?? 0),
    getMinimumBalanceForRentExemption: () => 890_880,
    getMultipleAccounts: ([accounts = []]: readonly (readonly string[])[]) => ({
      context: { slot },
      value: accounts.map((account) => (byAccount.has(account) ? stored : null)),
    }),
    getSignaturesForAddress: ([account = '']: readonly string[]) => {
      const paid = byAccount.get(account);
      return paid === undefined ? [] : [{ signature: paid.txHash, slot: PAID_SLOT, err: null }];
    },
    getTransaction: ([txHash = '']: readonly string[]) => transactionOf(txHash),
  };
  const answerTo = ({ id, method, params }: Call): object => {
    calls++;
    const answer = answers[method];
    return answer === undefined
      ? { jsonrpc: '2.0', id, error: { code: -32601, message: `${method} is not served.` } }
      : { jsonrpc: '2.0', id, result: answer(params as readonly never[]) };
  };
  const serveOne = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body: Call | readonly Call[] = JSON.parse(await text(request));
    const answer = 'method' in body ? answerTo(body) : body.map(answerTo);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  };
  const server = createServer((request, response) => void serveOne(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => {
    process.send?.({ calls });
    calls = 0;
  });
  const address = server.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` });
}

process.once('message', (state: SolanaState) => void serve(state));
