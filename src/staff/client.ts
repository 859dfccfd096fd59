import type { Request, Response } from 'express';
import ipaddr from 'ipaddr.js';
import { requestIdOf } from '../http/request-context.js';

/** The origin of a request, for the audit. */
export interface Client {
  /** The client's address; IPv4 in dots, also where the connection is IPv6. */
  readonly address: string;
  readonly requestId: string;
}

/** Returns the origin of a request. Its address is that of the connection, or the one that a trusted proxy reports. */
export function clientOf(req: Request, res: Response): Client {
  return { address: shown(req.ip ?? ''), requestId: requestIdOf(res) };
}

const shown = (ip: string): string => (ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : 'unknown');

const IPV4_BITS = 24;
const IPV6_BITS = 64;

/** The network of an address, whose hosts one attacker is likely to own: /24 of IPv4, /64 of IPv6. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  const bits = parsed.kind() === 'ipv4' ? IPV4_BITS : IPV6_BITS;
  const bytes = parsed.toByteArray().map((byte, place) => (place * 8 < bits ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}
