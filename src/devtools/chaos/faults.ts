import type { Fault } from './fault.js';
import { HEAD_FAULTS } from './head-faults.js';
import { lag } from './lag.js';
import { LOG_FAULTS } from './log-faults.js';
import { WIRE_FAULTS } from './wire-faults.js';

const LAG_BLOCKS = 6;

/** Every fault. */
export const FAULTS: readonly Fault[] = [lag(LAG_BLOCKS), ...HEAD_FAULTS, ...LOG_FAULTS, ...WIRE_FAULTS];

/** Returns the fault with this name, or null. */
export function faultNamed(name: string, faults = FAULTS): Fault | null {
  return faults.find((fault) => fault.name === name) ?? null;
}
