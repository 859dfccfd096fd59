import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';

/** A method that a decorator marks. */
export interface DeclaredMethod<Declaration> {
  /** Class and method, as `PriceSnapshots.takeDue`. */
  readonly name: string;
  readonly declaration: Declaration;
  /** Calls the method on its provider. */
  run(...args: readonly unknown[]): Promise<unknown>;
}

/** Finds the methods of this process's providers that a decorator marks. */
@Injectable()
export class DeclaredMethods {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** @param key the metadata key that the decorator sets */
  find<Declaration>(key: string): DeclaredMethod<Declaration>[] {
    const providers = this.discovery.getProviders().filter((wrapper) => typeof wrapper.metatype === 'function');
    // A provider under two tokens is one instance.
    const instances = new Set(providers.map((wrapper): unknown => wrapper.instance).filter(isObject));
    return [...instances].flatMap((instance) => this.methodsOf<Declaration>(instance, key));
  }

  private methodsOf<Declaration>(instance: object, key: string): DeclaredMethod<Declaration>[] {
    const prototype = Reflect.getPrototypeOf(instance);
    return this.scanner.getAllMethodNames(prototype).flatMap((method) => {
      const target: unknown = Reflect.get(prototype ?? {}, method);
      if (typeof target !== 'function') return [];
      const declaration = this.reflector.get<Declaration | undefined>(key, target);
      if (declaration === undefined) return [];
      const run = async (...args: readonly unknown[]): Promise<unknown> => Reflect.apply(target, instance, args);
      return [{ name: `${instance.constructor.name}.${method}`, declaration, run }];
    });
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
