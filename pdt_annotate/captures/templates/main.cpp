// Runs the program in FILE on the example calls in CALLS, and compares its answers with the model's.
// Written by `pdt-annotate save --cpp`. Usage: run_saved FILE CALLS. The exit code is 0 if all answers agree.
#include <torch/script.h>
#include <torch/torch.h>

#include <fstream>
#include <iostream>
#include <iterator>

using torch::IValue;

static std::vector<IValue> parts(const IValue& value) {
  if (value.isTuple()) return value.toTupleRef().elements().vec();
  std::vector<IValue> found;
  if (value.isGenericDict()) {  // the model's dicts are recorded as lists of pairs
    for (const auto& item : value.toGenericDict())
      found.emplace_back(c10::ivalue::Tuple::create({item.key(), item.value()}));
    return found;
  }
  for (const IValue& item : value.toList()) found.push_back(item);
  return found;
}

static bool holds_others(const IValue& value) { return value.isTuple() || value.isList() || value.isGenericDict(); }

// The same value in containers of the declared types: recorded containers have none.
static IValue fit(const IValue& value, const c10::TypePtr& type) {
  if (const auto optional = type->cast<c10::OptionalType>())
    return value.isNone() ? value : fit(value, optional->getElementType());
  if (const auto list = type->cast<c10::ListType>(); list && value.isList()) {
    c10::impl::GenericList made(list->getElementType());
    for (const IValue& item : value.toList()) made.push_back(fit(item, list->getElementType()));
    return made;
  }
  if (const auto dict = type->cast<c10::DictType>(); dict && value.isGenericDict()) {
    c10::impl::GenericDict made(dict->getKeyType(), dict->getValueType());
    for (const auto& item : value.toGenericDict()) made.insert(item.key(), fit(item.value(), dict->getValueType()));
    return made;
  }
  if (const auto tuple = type->cast<c10::TupleType>(); tuple && value.isTuple()) {
    std::vector<IValue> made;
    for (size_t i = 0; i < tuple->elements().size(); i++) made.push_back(fit(parts(value)[i], tuple->elements()[i]));
    return c10::ivalue::Tuple::create(made);
  }
  return value;
}

// Prints the sum of each tensor; returns whether all values agree.
static bool agree(const IValue& expected, const IValue& got, const std::string& where) {
  if (holds_others(expected)) {
    const auto one = parts(expected), other = holds_others(got) ? parts(got) : std::vector<IValue>{};
    bool same = one.size() == other.size();
    for (size_t i = 0; same && i < one.size(); i++) same = agree(one[i], other[i], where + "[" + std::to_string(i) + "]");
    return same;
  }
  if (expected.isTensor()) {
    if (!got.isTensor() || expected.toTensor().sizes() != got.toTensor().sizes()) return false;
    const auto one = expected.toTensor(), other = got.toTensor();
    std::cout << "  " << where << " " << one.sizes() << ", sum " << other.to(torch::kDouble).sum().item<double>() << "\n";
    return one.scalar_type() == other.scalar_type() && torch::allclose(one.to(torch::kDouble), other.to(torch::kDouble), 1e-4, 1e-5, true);
  }
  if (expected.isScalar() && got.isScalar())
    return std::abs(expected.toScalar().toDouble() - got.toScalar().toDouble()) <= 1e-5;
  return expected.tagKind() == got.tagKind() && (!expected.isString() || expected.toStringRef() == got.toStringRef());
}

int main(int count, char** words) {
  if (count != 3) return std::cerr << "usage: " << words[0] << " FILE CALLS\n", 2;
  torch::jit::Module model = torch::jit::load(words[1]);
  std::ifstream file(words[2], std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  bool all = true;
  for (const IValue& each : torch::pickle_load(bytes).toList()) {
    const auto call = each.toGenericDict();
    const auto mode = call.at("mode").toStringRef();
    if (!mode.empty()) model.train(mode == "train");
    torch::manual_seed(call.at("seed").toInt());
    torch::AutoGradMode gradients(call.at("with_gradients").toBool());
    torch::jit::Module holder = model;
    std::string method = call.at("method").toStringRef();
    for (size_t dot; (dot = method.find('.')) != std::string::npos; method = method.substr(dot + 1))
      holder = holder.attr(method.substr(0, dot)).toModule();
    const auto chosen = holder.get_method(method);
    const auto& schema = chosen.function().getSchema();
    auto args = parts(call.at("args"));
    for (size_t i = 0; i < args.size(); i++) args[i] = fit(args[i], schema.arguments()[i + 1].type());  // after self
    torch::jit::Kwargs named;
    for (const auto& item : call.at("kwargs").toGenericDict()) {
      const auto& name = item.key().toStringRef();
      named.emplace(name, fit(item.value(), schema.arguments()[*schema.argumentIndexWithName(name)].type()));
    }
    std::cout << call.at("name").toStringRef() << "\n";
    bool same = false;
    try {
      const IValue answer = chosen(args, named);
      same = !call.at("raised").toBool() && agree(call.at("answer"), answer, "result");
    } catch (const std::exception& error) {
      same = call.at("raised").toBool();
      const std::string said = error.what();
      if (!same) std::cout << "  " << said.substr(0, said.find('\n')) << "\n";
    }
    std::cout << (same ? "  same as the model\n" : "  NOT as the model\n");
    all = all && same;
  }
  return all ? 0 : 1;
}
