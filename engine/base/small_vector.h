#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>

namespace nw {

// A vector whose first N elements need no allocation. Elements must not throw when moved.
template <typename T, std::size_t N>
class SmallVector {
public:
    SmallVector() = default;
    SmallVector(std::initializer_list<T> values)
    {
        for (const T& value : values) {
            push_back(value);
        }
    }
    SmallVector(const SmallVector& other)
    {
        reserve(other.m_size);
        std::uninitialized_copy(other.begin(), other.end(), data());
        m_size = other.m_size;
    }
    SmallVector(SmallVector&& other) noexcept { takeFrom(other); }
    SmallVector& operator=(const SmallVector& other)
    {
        if (this != &other) {
            SmallVector copy(other);
            release();
            takeFrom(copy);
        }
        return *this;
    }
    SmallVector& operator=(SmallVector&& other) noexcept
    {
        if (this != &other) {
            release();
            takeFrom(other);
        }
        return *this;
    }
    ~SmallVector() { release(); }

    bool empty() const { return m_size == 0; }
    std::size_t size() const { return m_size; }
    T* begin() { return data(); }
    T* end() { return data() + m_size; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + m_size; }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    T& front() { return *data(); }
    const T& front() const { return *data(); }
    T& back() { return data()[m_size - 1]; }
    const T& back() const { return data()[m_size - 1]; }
    T* data() { return m_heap != nullptr ? m_heap : inPlace(); }
    const T* data() const { return m_heap != nullptr ? m_heap : inPlace(); }

    friend bool operator==(const SmallVector& a, const SmallVector& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
    friend auto operator<=>(const SmallVector& a, const SmallVector& b)
    {
        return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
    }

    void push_back(T value) { insert(m_size, std::move(value)); }
    // Before the element that stands at `place` now.
    void insert(std::size_t place, T value)
    {
        reserve(m_size + 1);
        ::new (static_cast<void*>(data() + m_size)) T(std::move(value));
        for (std::size_t i = m_size; i > place; --i) {
            std::swap(data()[i], data()[i - 1]);
        }
        ++m_size;
    }
    void erase(std::size_t place)
    {
        for (std::size_t i = place; i + 1 < m_size; ++i) {
            data()[i] = std::move(data()[i + 1]);
        }
        std::destroy_at(data() + --m_size);
    }

private:
    T* inPlace() { return std::launder(reinterpret_cast<T*>(m_place)); }
    const T* inPlace() const { return std::launder(reinterpret_cast<const T*>(m_place)); }

    void reserve(std::size_t wanted)
    {
        if (wanted <= m_capacity) {
            return;
        }
        const std::size_t capacity = wanted > 2 * m_capacity ? wanted : 2 * m_capacity;
        T* moved = std::allocator<T>().allocate(capacity);
        std::uninitialized_move(begin(), end(), moved);
        const std::size_t size = m_size;
        release();
        m_heap = moved;
        m_capacity = capacity;
        m_size = size;
    }
    void takeFrom(SmallVector& other) noexcept
    {
        if (other.m_heap != nullptr) {
            m_heap = std::exchange(other.m_heap, nullptr);
            m_capacity = std::exchange(other.m_capacity, N);
            m_size = std::exchange(other.m_size, 0);
            return;
        }
        std::uninitialized_move(other.begin(), other.end(), inPlace());
        m_size = other.m_size;
        other.release();
    }
    void release() noexcept
    {
        std::destroy(begin(), end());
        m_size = 0;
        if (m_heap != nullptr) {
            std::allocator<T>().deallocate(m_heap, m_capacity);
            m_heap = nullptr;
            m_capacity = N;
        }
    }

    alignas(T) std::byte m_place[N * sizeof(T)];
    T* m_heap = nullptr;
    std::size_t m_size = 0;
    std::size_t m_capacity = N;
};

} // namespace nw
