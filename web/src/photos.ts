// SPDX-License-Identifier: Apache-2.0
//
// The photos of one drop, paste or choice, of which one is current. Files are kept, not their pixels: the browser reads
// them again from where they are.

const kMostPhotos = 200;

export class Photos {
  private files: readonly File[] = [];
  private index = 0;

  replace(files: readonly File[]): void {
    this.files = files.slice(0, kMostPhotos);
    this.index = 0;
  }

  get current(): File | undefined {
    return this.files[this.index];
  }

  get size(): number {
    return this.files.length;
  }

  /** From 1. */
  get position(): number {
    return this.index + 1;
  }

  /** Whether there is one in this direction; it is current then. */
  move(step: 1 | -1): boolean {
    if (this.files[this.index + step] === undefined) return false;
    this.index += step;
    return true;
  }
}
