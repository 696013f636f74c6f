#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct node {
  struct node *left, *right;
  unsigned key;
};

static struct node *insert(struct node *at, unsigned key) {
  if (!at) {
    at = calloc(1, sizeof(*at));
    if (at) at->key = key;
    return at;
  }
  if (key < at->key)
    at->left = insert(at->left, key);
  else if (key > at->key)
    at->right = insert(at->right, key);
  return at;
}

static unsigned long sum(const struct node *at) { return at ? at->key + sum(at->left) + sum(at->right) : 0; }

static void shuffle(unsigned *items, size_t count, unsigned seed) {
  for (size_t i = count; i > 1; i--) {
    seed = seed * 1103515245u + 12345u;
    size_t j = seed % i;
    unsigned swap = items[i - 1];
    items[i - 1] = items[j];
    items[j] = swap;
  }
}

int main(int argc, char **argv) {
  unsigned items[1000];
  for (unsigned i = 0; i < 1000; i++) items[i] = i * i;
  shuffle(items, 1000, argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1);
  struct node *root = NULL;
  for (unsigned i = 0; i < 1000; i++) root = insert(root, items[i]);
  char text[32];
  snprintf(text, sizeof(text), "%lu", sum(root));
  printf("%s %08lx\n", text, crc32(0, (const Bytef *)text, (uInt)strlen(text)));
  return 0;
}
