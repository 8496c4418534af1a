import path from "node:path";
import { pathToFileURL } from "node:url";

/** Settings of {@link importVendorModule}. */
export interface VendorModuleOptions<T> {
  /** What an import calls it, for example `@github/copilot-sdk`. */
  readonly name: string;
  /** Imports it by this name, so that the types are known. */
  readonly load: () => Promise<T>;
  /** A folder with a `node_modules` of its own, which `atomic install` fills. */
  readonly vendorDirectory?: string | undefined;
}

/**
 * Imports a vendor's SDK: the one installed next to Atomic, else the one in the vendor's folder. Throws what the import
 * beside Atomic threw when neither is there.
 */
export async function importVendorModule<T>({ name, load, vendorDirectory }: VendorModuleOptions<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (vendorDirectory === undefined) throw error;
    let address: string;
    try {
      address = import.meta.resolve(name, pathToFileURL(path.join(vendorDirectory, "package.json")).href);
    } catch {
      throw error;
    }
    // The very same package, in the version that `atomic install` pins.
    return (await import(address)) as T;
  }
}
