// SPDX-License-Identifier: Apache-2.0
//
// The open slices of a thread, and which of them an end ends: the newest one of its name, or the newest one; where the
// end has a category, which most have not, of that category alone (Perfetto's importer has it so). What is in
// a slice that ended is ended by an end that names it, and by no other: an end without a name is of what is around.

export class OpenSlices {
  open = [];
  leftOpen = [];

  push(item, {name, cat}) { this.open.push({item, name, cat}); }

  // The item of the slice that an end of that name and category ends; undefined where there is none.
  take({name, cat}) {
    const fits = (slice) => (!name || slice.name === name) && (!cat || slice.cat === cat);
    const at = this.open.findLastIndex(fits);
    if (at >= 0) {
      const [slice, ...above] = this.open.splice(at);
      this.leftOpen.push(...above);
      return slice.item;
    }
    const below = name || cat ? this.leftOpen.findLastIndex(fits) : -1;
    return below < 0 ? undefined : this.leftOpen.splice(below, 1)[0].item;
  }

  left() { return [...this.open, ...this.leftOpen].map(({item}) => item); }
}
