import { type CheckedRule, firstBreach, verifyBooks } from '../../auditor/books-verification.js';
import { type KnownSeal, NO_SEAL } from '../../auditor/checks/chain-walk.js';
import { type LostSeals, lostSeals, type SealHeads } from '../../auditor/seal-chains.js';
import { onOwnConnections } from '../../auditor/snapshot.js';
import { TreasuryChainsModule } from '../../treasury/treasury-chains.module.js';
import { TreasuryChains } from '../../treasury/treasury-chains.service.js';
import { defineCommand, EXIT, type ExitCode, UsageError } from '../command.js';
import { auditChains, type ChainAudit } from '../chain-audit.js';
import { withServices } from '../command-services.js';
import type { Terminal } from '../terminal.js';

const HEAD = /^(\d{1,15}):([0-9a-f]{64})$/;

const NO_CHAINS: ChainAudit = { rules: [], unasked: [] };

/** `verify`. */
export const verify = defineCommand({
  usage: 'verify',
  example: 'npx coffer verify --head 1204:5f0c...',
  details:
    'Checks every rule of the books on one snapshot of the database, also while the service runs: entries balance, balances\n' +
    'are sums, the hash chains over entries and audit log are intact, deposits are credited once, and payouts were ordered, signed and\n' +
    'booked. Then compares the books with each chain, through its nodes. Prints the first row that breaks each rule, and\n' +
    'the number of others. Exits 1 if a rule is broken. A chain that cannot be asked is printed and breaks no rule.',
  options: {
    head: {
      type: 'string',
      value: 'N:HASH',
      about: 'A head of the hash chain over the entries that you noted before: it must still be in the chain.',
    },
    'audit-head': { type: 'string', value: 'N:HASH', about: 'The same for the hash chain over the audit log.' },
    offline: { type: 'boolean', about: 'Do not ask the chains.' },
    json: { type: 'boolean', about: 'Print JSON, one rule per line, and the heads last.' },
  },
  run: ({ values }, context) => {
    const noted: SealHeads = {
      entries: notedHead('--head', values.head),
      actions: notedHead('--audit-head', values['audit-head']),
    };
    const needs = { modules: [TreasuryChainsModule], chains: values.offline !== true };
    const { terminal } = context;
    return withServices(context, needs, async ({ database, url, get }) => {
      const print = (rule: CheckedRule): void => {
        if (values.json) terminal.json({ object: 'rule', ...rule });
        else printRule(rule, terminal);
      };
      const { rules, heads } = await verifyBooks(url, print);
      const chains = values.offline
        ? NO_CHAINS
        : await onOwnConnections(url, (own) => auditChains(own, get(TreasuryChains), print));
      const lost = await lostSeals(database, noted);
      const verdict = { rules: [...rules, ...chains.rules], unasked: chains.unasked, heads, lost };
      return conclude(verdict, terminal, values.json === true);
    });
  },
});

/** Without a noted head, the start of the chain, which every chain has. */
function notedHead(option: string, text: string | undefined): KnownSeal {
  if (text === undefined) return NO_SEAL;
  const [, sequence, hash] = HEAD.exec(text) ?? [];
  if (sequence === undefined || hash === undefined || Number(sequence) < 1) {
    throw new UsageError(`${option} must be a number and a hash, such as 1204:5f0c... with 64 hexadecimal digits.`);
  }
  return { sequence: Number(sequence), hash };
}

function printRule({ name, rule, finding, count }: CheckedRule, terminal: Terminal): void {
  if (finding === null) {
    terminal.line(`ok      ${rule}`);
    return;
  }
  const more = count > 1 ? ` And ${count - 1} more: --json lists the first of them.` : '';
  terminal.line(`BROKEN  ${rule}\n        ${name}: ${finding.row} ${finding.says}.${more}`);
}

interface Verdict extends ChainAudit {
  readonly heads: SealHeads;
  /** Of the heads that were noted before. */
  readonly lost: LostSeals;
}

const headOf = ({ sequence, hash }: KnownSeal): string => `${sequence}:${hash}`;

function conclude({ rules, unasked, heads, lost }: Verdict, terminal: Terminal, isJson: boolean): ExitCode {
  const isClean = firstBreach(rules) === null && lost.entries === null && lost.actions === null;
  const [head, auditHead] = [headOf(heads.entries), headOf(heads.actions)];
  if (isJson) {
    const noted = { lost: lost.entries, audit_lost: lost.actions };
    terminal.json({ object: 'verification', clean: isClean, head, audit_head: auditHead, ...noted, unasked });
  } else {
    for (const chain of unasked) terminal.line(`NOT ASKED  ${chain}`);
    if (lost.entries !== null) terminal.line(`BROKEN  --head: ${lost.entries.row} ${lost.entries.says}.`);
    if (lost.actions !== null) terminal.line(`BROKEN  --audit-head: ${lost.actions.row} ${lost.actions.says}.`);
    if (isClean) {
      terminal.line(`The books hold. Note the head of the hash chain elsewhere: ${head}`);
      terminal.line(`The audit log holds too. Note the head of its hash chain as well: ${auditHead}`);
    }
  }
  if (!isClean) terminal.problem('The books do not hold. See docs/operations.md, "Proof of the books".');
  return isClean ? EXIT.fine : EXIT.bad;
}
