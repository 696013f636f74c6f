// SPDX-License-Identifier: Apache-2.0
//
// The yardstick for reading JSON: simdjson's on-demand parser, asked for every key and value of every event.

#include <simdjson.h>

#include "baselines.h"

namespace {

using namespace simdjson;

// What was seen, so that no part of the walk can be optimised away.
struct Sum {
  uint64_t bytes = 0;
  double numbers = 0;
};

void walk(ondemand::value value, Sum &sum) {
  switch (value.type()) {
    case ondemand::json_type::object:
      for (auto field : value.get_object()) {
        sum.bytes += std::string_view(field.unescaped_key()).size();
        walk(field.value(), sum);
      }
      break;
    case ondemand::json_type::array:
      for (auto item : value.get_array()) walk(item.value(), sum);
      break;
    case ondemand::json_type::string:
      sum.bytes += std::string_view(value.get_string()).size();
      break;
    case ondemand::json_type::number:
      sum.numbers += double(value.get_double());
      break;
    case ondemand::json_type::boolean:
      sum.bytes += bool(value.get_bool());
      break;
    case ondemand::json_type::null:
      sum.bytes += 1;
      break;
  }
}

}  // namespace

extern "C" bool bench_simdjson_walk(const char *path, uint64_t *events) try {
  padded_string json = padded_string::load(path);
  ondemand::parser parser;
  auto document = parser.iterate(json);
  Sum sum;
  *events = 0;
  ondemand::array list;
  if (document.type() == ondemand::json_type::array)
    list = document.get_array();
  else
    list = document["traceEvents"].get_array();
  for (auto event : list) {
    walk(event.value(), sum);
    ++*events;
  }
  return sum.bytes != 0;
} catch (const simdjson_error &) {
  return false;
}
