import { NETWORKS } from '../../domain/network.js';
import type { Config } from '../../platform/config.js';
import { configuredChains } from '../../app/start/chain-sources.js';
import { commandChains } from '../chain-sources.js';
import { CommandFailure, oneOf } from '../command.js';
import type { Terminal } from '../terminal.js';
import type { Finding } from './doctor-finding.js';
import { type ExaminedNode, examineNode, nodesOf } from './doctor-nodes.js';
import { printFindings } from './print-findings.js';

const ALL = 'all';

/**
 * Examines the nodes of a network, or of all (`all`): configured ones, and those of a sandbox on this machine.
 * @throws UsageError for another name
 * @throws CommandFailure when there is no node
 */
export async function examineNetwork(config: Config, name: string): Promise<readonly ExaminedNode[]> {
  const wanted = oneOf([...NETWORKS, ALL], name, '--network');
  const sources = (await commandChains(config)).filter(({ profile }) => wanted === ALL || profile.network === wanted);
  if (sources.length === 0) {
    const variable = wanted === ALL ? '<NETWORK>' : wanted.toUpperCase();
    throw new CommandFailure(
      `No node of ${wanted === ALL ? 'a network' : wanted} is configured.`,
      `set SANDBOX_${variable}_RPC_URL or LIVE_${variable}_RPC_URL`,
    );
  }
  // One after the other: a node is not slowed down by the questions to its neighbour.
  const examined: ExaminedNode[] = [];
  for (const source of nodesOf(sources)) examined.push(await examineNode(source, true));
  return examined;
}

/** Prints a table for each node. */
export function printNodes(nodes: readonly ExaminedNode[], terminal: Terminal): void {
  for (const [place, { chain, node, findings }] of nodes.entries()) {
    if (place > 0) terminal.line('');
    terminal.line(`${chain} at ${node}`);
    printFindings(findings, terminal);
  }
}

/** Examines each configured node, and returns a line for one that is fine, or else what is wrong with it. */
export async function checkConfiguredNodes(config: Config): Promise<Finding[]> {
  const examined = await Promise.all(nodesOf(configuredChains(config)).map((source) => examineNode(source, false)));
  return examined.flatMap(({ chain, node, findings }) => {
    const problems = findings.filter(({ level }) => level !== 'ok');
    const check = `node ${chain}`;
    if (problems.length > 0) {
      return problems.map((found) => ({ ...found, check, detail: `${node}: ${found.check}: ${found.detail}` }));
    }
    const said = findings.filter(({ check: about }) => about === 'version' || about === 'newest block');
    return [{ check, level: 'ok' as const, detail: [node, ...said.map(({ detail }) => detail)].join(', '), fix: null }];
  });
}
