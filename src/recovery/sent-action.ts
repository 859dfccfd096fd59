import { formatUnits } from '../domain/money.js';
import { readTransferCall } from '../chains/evm/transfer-call.js';
import { rows, type Tx } from '../platform/database/database.js';
import { readSentDeployment } from './adopted-contract.js';
import { readSentSweep } from './adopted-sweep.js';
import type { DecodedTransaction } from '../chains/evm/sent-transaction.js';
import { findToken } from './transactions.sql.js';

const SELECTOR_DIGITS = 10;

/** Describes a transaction in one sentence by its bytes. */
export async function actionOf(tx: Tx, chainRef: string, sent: DecodedTransaction): Promise<string> {
  const sweep = readSentSweep(sent);
  if (sweep !== null) return `It sweeps ${sweep.items.length} balances to the hot wallet.`;
  const deployment = readSentDeployment(sent);
  if (deployment !== null) return `It deploys a sweep contract, the ${deployment.kind}.`;
  const { to, value, data } = sent.fields;
  if (sent.isNewContract) return `It creates the contract ${to}, and sends it ${value} wei.`;
  const transfer = readTransferCall(sent.fields);
  if (transfer === null)
    return `It calls ${data.slice(0, SELECTOR_DIGITS)} of the contract ${to}, and sends it ${value} wei.`;
  const { token, recipient, amount } = transfer;
  const [known] = await rows(tx, findToken(chainRef, token));
  const what =
    known === undefined ? `${amount} units of ${token}` : `${formatUnits(amount, known.decimals)} ${known.symbol}`;
  return `It sends ${what} to ${recipient}.`;
}
