import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { accessOf } from '../auth/scopes.js';
import { DomainError } from '../domain/errors.js';

/** Admits requests of signed-in staff to the routes of the console. */
@Injectable()
export class StaffGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (accessOf(this.reflector, context.getHandler(), context.getClass()) !== 'staff') return true;
    throw new DomainError('unauthorized', 'Sign in to the console.');
  }
}
