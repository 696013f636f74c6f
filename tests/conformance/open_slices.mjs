// SPDX-License-Identifier: Apache-2.0
//
// The open slices of a thread, and which of them an end ends: the newest one of its name, or the newest one; where the
// end has a category, which most have not, of that category alone (Perfetto's importer has it so). What is in
// a slice that ended is ended by an end that names it, and by no other: an end without a name is of what is around. Of
// ends of one time the inner one may come behind the outer one.

export class OpenSlices {
  open = [];
  leftOpen = [];

  push(item, {name, cat}) { this.open.push({item, name, cat}); }

  // The item of the slice that an end of that name and category ends; undefined where there is none. `time`: the end's,
  // where that is known.
  take({name, cat}, time = NaN) {
    const fits = (slice) => (!name || slice.name === name) && (!cat || slice.cat === cat);
    const takeLeftOpen = (left) => {
      const at = name || cat ? this.leftOpen.findLastIndex((slice) => fits(slice) && left(slice)) : -1;
      return at < 0 ? undefined : this.leftOpen.splice(at, 1)[0].item;
    };
    const ofNow = takeLeftOpen((slice) => slice.leftAt === time);
    if (ofNow) return ofNow;
    const at = this.open.findLastIndex(fits);
    if (at < 0) return takeLeftOpen(() => true);
    const [slice, ...above] = this.open.splice(at);
    this.leftOpen.push(...above.map((inner) => ({...inner, leftAt: time})));
    return slice.item;
  }

  left() { return [...this.open, ...this.leftOpen].map(({item}) => item); }
}
