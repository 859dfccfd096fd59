import { Injectable, type OnModuleInit } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { accessOf } from './scopes.js';

/** Refuses to start when a route declares neither a scope nor that it is public: so no route is public by mistake. */
@Injectable()
export class AccessAudit implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const open = this.discovery.getControllers().flatMap(({ metatype }) => this.undeclaredRoutes(metatype));
    if (open.length > 0)
      throw new Error(`Routes need @RequireScope(), @RequirePermission() or @Public(): ${open.join(', ')}.`);
  }

  private undeclaredRoutes(controller: unknown): string[] {
    if (typeof controller !== 'function') return [];
    const prototype: Record<string, unknown> = controller.prototype;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      if (typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
      return accessOf(this.reflector, handler, controller) === undefined ? [`${controller.name}.${name}`] : [];
    });
  }
}
