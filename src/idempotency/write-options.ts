import type { Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Tenant } from '../domain/tenant.js';

/** A check that needs the network, so that it cannot be made inside a transaction. */
export interface NetworkCheck<Body = unknown> {
  /** Called with the validated body. @throws DomainError when the request is refused */
  beforeTransaction(tenant: Tenant, body: Body): Promise<void>;
}

/** Runs a check of a write before its transaction, and not for a replay. The check is a provider of any module. */
export const BeforeTransaction = Reflector.createDecorator<Type<NetworkCheck>>();

/**
 * The controller returns a `PlannedWrite` and takes no transaction: the claim, the effect and the kept answer are one
 * statement, or a transaction where the plan asks for one. It cannot be combined with `BeforeTransaction` or `KeepsSecret`.
 */
export const AtOnce = Reflector.createDecorator<true>();

/** The answer of the write contains a secret, so it is kept encrypted. */
export const KeepsSecret = Reflector.createDecorator<true>();
