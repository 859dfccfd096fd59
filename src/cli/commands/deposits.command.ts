import { ENVIRONMENTS, NETWORKS } from '../../domain/network.js';
import { ExplainModule } from '../../explain/explain.module.js';
import {
  type MismatchedDeposit,
  MismatchedDeposits,
  MISMATCH_REASONS,
} from '../../explain/mismatched-deposits.service.js';
import { defineCommand, EXIT, oneOf } from '../command.js';
import { withServices } from '../command-services.js';
import { pageLimit, pageOptions } from '../page-options.js';
import { columns } from '../terminal.js';

const HEAD = ['SEEN', 'CHAIN', 'AMOUNT', 'STATUS', 'INTENT', 'ADDRESS', 'TRANSACTION', 'BLOCK', 'REASON'];

/** `deposits mismatched`. */
export const depositsMismatched = defineCommand({
  usage: 'deposits mismatched',
  example: 'npx coffer deposits mismatched --env sandbox --network polygon --limit 20',
  details:
    'Lists deposits that did not pay an intent as asked, newest first, whatever became of them: in another token, on another\n' +
    'network, to an address without an intent, or after the end of the intent. Late ones are credited to the\n' +
    "merchant's pocket; the others are in suspense until you resolve them. Deposits that a reorg removed are left out.\n" +
    'For those that wait for your decision, see deposits list.',
  options: {
    env: { type: 'string', value: 'ENV', about: 'sandbox or live; both by default.' },
    network: { type: 'string', value: 'NAME', about: 'One network; all by default.' },
    ...pageOptions,
    json: { type: 'boolean', about: 'Print JSON, one object per line: the counts, then each deposit.' },
  },
  run: ({ values }, context) => {
    const limit = pageLimit(values.limit);
    const filter = {
      environment: values.env === undefined ? null : oneOf(ENVIRONMENTS, values.env, '--env'),
      network: values.network === undefined ? null : oneOf(NETWORKS, values.network, '--network'),
    };
    return withServices(context, { modules: [ExplainModule] }, async ({ get }) => {
      const deposits = get(MismatchedDeposits);
      const found = await deposits.page({ ...filter, limit: limit + 1, after: values.after ?? null });
      const counts = await deposits.counts(filter);
      const page = found.slice(0, limit);
      const { terminal } = context;
      if (values.json) {
        terminal.json({ object: 'counts', ...counts });
        for (const deposit of page) terminal.json(jsonOf(deposit));
        return EXIT.fine;
      }
      terminal.line(MISMATCH_REASONS.map((reason) => `${reason.replaceAll('_', ' ')}: ${counts[reason]}`).join(' · '));
      for (const line of columns([HEAD, ...page.map(cellsOf)])) terminal.line(line);
      const last = page.at(-1);
      if (found.length > limit && last !== undefined) terminal.problem(`There are more: --after ${last.id}`);
      return EXIT.fine;
    });
  },
});

function cellsOf(deposit: MismatchedDeposit): string[] {
  return [
    deposit.seenAt,
    `${deposit.environment} ${deposit.network}`,
    `${deposit.amountDecimal} ${deposit.token}`,
    deposit.status,
    deposit.intentId ?? 'none',
    deposit.address,
    deposit.txHash ?? 'inside of a contract',
    String(deposit.blockNumber),
    deposit.explanation,
  ];
}

function jsonOf(deposit: MismatchedDeposit): object {
  return {
    object: 'deposit',
    id: deposit.id,
    seen_at: deposit.seenAt,
    environment: deposit.environment,
    network: deposit.network,
    token: deposit.token,
    amount_decimal: deposit.amountDecimal,
    status: deposit.status,
    reason: deposit.reason,
    explanation: deposit.explanation,
    payment_intent_id: deposit.intentId,
    merchant_id: deposit.merchantId,
    blockchain_address: deposit.address,
    tx_hash: deposit.txHash,
    block_number: deposit.blockNumber,
  };
}
